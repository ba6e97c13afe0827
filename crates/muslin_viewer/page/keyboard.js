// Keys. None of them works while somebody types or moves a slider.

export function listen(actions) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const typing = target instanceof HTMLInputElement && target.type === "range" || target instanceof HTMLSelectElement;
    // A button keeps its own keys; Tab goes on to the next one unless the picture has the focus.
    if (typing || target instanceof HTMLButtonElement && (key === " " || key === "Enter")) return;
    if (key === "Tab" && !(target instanceof HTMLCanvasElement)) return;
    if (document.querySelector("dialog[open]") || !actions[key]) return;
    event.preventDefault();
    actions[key]();
  });
}
