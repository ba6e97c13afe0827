// Checks the page in a real browser: node check.mjs MUSLIN MODULES CHROMIUM FOLDER. Prints a line per claim.

import { allocations } from "./allocations.mjs";
import { circumstances } from "./circumstances.mjs";
import { contact } from "./contact.mjs";
import { live } from "./live.mjs";
import { recordings } from "./recordings.mjs";
import { check, close } from "./stand.mjs";

for (const part of [live, allocations, contact, recordings, circumstances]) {
  try {
    await part();
  } catch (error) {
    check(`${part.name} goes to its end`, false, error.message);
  }
}
await close();
