/** The line between the view and the detail, which can be moved. */

import { element } from "./dom.js";
import { kept } from "./store.js";

/** Puts a separator before `second`, the width or height of which it changes. */
export function splitter(first, second) {
  const line = element("div", {
    class: "splitter",
    role: "separator",
    tabindex: "0",
    "aria-label": "Size of the detail",
    "aria-controls": second.id,
    "aria-valuemin": "15",
    "aria-valuemax": "85",
  });
  let share = kept.get("share", 45);
  const show = (wanted) => {
    share = Math.min(85, Math.max(15, wanted));
    document.body.style.setProperty("--detail", `${share}%`);
    line.setAttribute("aria-valuenow", String(Math.round(share)));
  };
  const keep = () => kept.set("share", share);
  const isStacked = () => matchMedia("(max-width: 1000px)").matches;
  line.addEventListener("pointerdown", (event) => line.setPointerCapture(event.pointerId));
  line.addEventListener("pointermove", (event) => {
    if (!line.hasPointerCapture(event.pointerId)) return;
    const outer = first.getBoundingClientRect();
    const end = second.getBoundingClientRect();
    show(
      isStacked()
        ? (100 * (end.bottom - event.clientY)) / (end.bottom - outer.top)
        : (100 * (end.right - event.clientX)) / (end.right - outer.left),
    );
  });
  line.addEventListener("pointerup", keep);
  line.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: 3, ArrowUp: 3, ArrowRight: -3, ArrowDown: -3 }[event.key];
    if (!step) return;
    show(share + step);
    keep();
    event.preventDefault();
  });
  second.before(line);
  show(share);
}
