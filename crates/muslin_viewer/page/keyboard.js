// Keys. A list keeps its own while it has the focus, a button or a switch its space bar; a slider keeps only arrows, which
// mean nothing here.

export function listen(actions) {
  let pointed = false; // whether the last choice was made with a pointer
  // Only who goes about with the keys needs to see where the focus is.
  const point = (isPointed) => {
    pointed = isPointed;
    document.documentElement.toggleAttribute("data-pointed", isPointed);
  };
  addEventListener("pointerdown", () => point(true), true);
  // Who chooses from a list with the pointer does not go on with the keys in it.
  addEventListener("change", ({ target }) => { if (pointed && target instanceof HTMLSelectElement) target.blur(); });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "Tab" || key.startsWith("Arrow")) point(false);
    const presses = key === " " || key === "Enter";
    const isSwitch = target instanceof HTMLInputElement && target.type === "checkbox" && !pointed;
    if (target instanceof HTMLSelectElement || presses && (isSwitch || target instanceof HTMLButtonElement)) return;
    // Tab goes on to the next button unless the picture has the focus.
    if (key === "Tab" && !(target instanceof HTMLCanvasElement)) return;
    if (document.querySelector("dialog[open]") || !actions[key]) return;
    event.preventDefault();
    actions[key]();
  });
}
