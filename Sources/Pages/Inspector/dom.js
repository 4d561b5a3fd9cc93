/** Elements, made without markup: whatever was recorded becomes text and nothing else. */

// Control characters but white space, and those that turn the direction of what follows.
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text in which characters that are not seen, or that move others, are seen themselves. */
export function visible(text) {
  return text.replace(unseen, (letter) => {
    const code = letter.charCodeAt(0);
    if (code < 32) return String.fromCharCode(0x2400 + code);
    return code === 127 ? "\u2421" : `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
  });
}

/**
 * An element with attributes and children; `on` holds listeners, `data` the dataset, and strings become visible text.
 * Attributes that are null, undefined or false are left out.
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (key === "on") { for (const [type, listener] of Object.entries(value)) made.addEventListener(type, listener); }
    else if (key === "data") Object.assign(made.dataset, value);
    else if (key === "value" || key === "checked" || key === "indeterminate") made[key] = value;
    else made.setAttribute(key, value === true ? "" : key === "title" ? visible(value) : value);
  }
  made.append(...shown(children));
  return made;
}

/** What can be put into an element: visible text, and other elements. */
export function shown(parts) {
  return parts.flat(Infinity).filter((part) => part != null && part !== false && part !== "")
    .map((part) => (typeof part === "string" ? visible(part) : part));
}

/** A button that does something. */
export function button(text, action, attributes = {}) {
  return element("button", { type: "button", ...attributes, on: { click: action, ...attributes.on } }, text);
}

const PORTION = 200;

/** What is made of items, and after many of them a button, as `wrap` puts it, for the next ones. */
export function portions(items, make, wrap = (more) => more) {
  const made = items.slice(0, PORTION).map(make);
  const rest = items.slice(PORTION);
  if (rest.length === 0) return made;
  const more = wrap(button(`${rest.length} more`, () => more.replaceWith(...portions(rest, make, wrap))));
  return [...made, more];
}

/** A field with its label before it. */
export function labelled(text, field, attributes = {}) {
  return element("label", attributes, element("span", {}, text), field);
}

/** What is shown where there is nothing: what is missing, and what to do. */
export function empty(title, ...more) {
  return element(
    "div",
    { class: "empty" },
    element("p", { class: "empty-title" }, title),
    more.map((part) => (typeof part === "string" ? element("p", {}, part) : part)),
  );
}

/** What is shown while something is fetched. */
export function loading(text) {
  return element("p", { class: "loading", role: "status" }, text);
}

/** An error, what to do about it, and a button that tries again. */
export function problem(error, again) {
  return element(
    "div",
    { class: "problem", role: "alert" },
    element("p", { class: "error" }, error.message),
    marked(error.place),
    error.hint && element("p", {}, error.hint),
    again && button("Try again", again),
  );
}

/** The text in which a mistake is, with the mistake marked; nothing where there is no place. */
export function marked(place) {
  if (!place) return null;
  const scalars = [...place.text];
  const part = (from, to) => scalars.slice(from, to).join("");
  return element(
    "code",
    { class: "mistaken" },
    part(0, place.start),
    element("mark", { class: "mistake" }, part(place.start, place.end) || "\u00a0"),
    part(place.end),
  );
}

/** Puts text where other programs find it, and says so. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    notice(`Copied ${what}`);
  } catch {
    notice(`The browser did not allow copying ${what}`);
  }
}

/** Has the browser save a text as a file. */
export function saved(text, name) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const anchor = element("a", { href: address, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  // The download has begun before the address goes.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Says something that needs no answer, for a few seconds; screen readers read it. */
export function notice(text) {
  const line = element("p", {}, text);
  document.getElementById("notices").replaceChildren(line);
  setTimeout(() => line.remove(), 5000);
}

/** A table of texts. */
export function table(columns, rows, attributes = {}) {
  return element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": attributes["aria-label"] ?? "Table" },
    element(
      "table",
      attributes,
      element("thead", {}, element("tr", {}, columns.map((name) => element("th", { scope: "col" }, name)))),
      element(
        "tbody",
        {},
        rows.map((cells) => element("tr", {}, cells.map((cell) => element("td", {}, cell)))),
      ),
    ),
  );
}
