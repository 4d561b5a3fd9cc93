/** A body: as a tree, as text, as bytes or as a picture; a huge one in slices. */

import { content } from "./api.js";
import { button, copy, element, loading, problem } from "./dom.js";
import { bytes as sized, grouped } from "./format.js";
import { jsonTree } from "./json-tree.js";
import { TreeView } from "./tree-view.js";
import { xmlTree } from "./xml-tree.js";

const SLICE = 65_536;
// A tree of more would take seconds.
const TREE = 4_194_304;
const pictures = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
  [0x52, 0x49, 0x46, 0x46],
];

/**
 * Shows what an address of content has. `query` selects a side and a part, `name` says what it is, `given` is its
 * text where that is known, `size` how many bytes there were.
 */
export class BodyView {
  constructor(path, query, name, { given, size } = {}) {
    Object.assign(this, { path, query, name, size, from: 0, shown: null });
    this.tabs = element("div", { class: "tools", role: "group", "aria-label": `Show ${name} as` });
    this.place = element("div", { class: "body-place" }, loading("Fetching…"));
    this.element = element("section", { class: "body", "aria-label": name }, this.tabs, this.place);
    if (given == null) this.load();
    else {
      this.bytes = new TextEncoder().encode(given);
      this.total = this.bytes.length;
      this.offer();
    }
  }

  url(more) {
    return `${this.path}?${new URLSearchParams({ ...this.query, ...more })}`;
  }

  async load() {
    try {
      const first = await content(this.url({ as: "raw", from: 0, count: SLICE }));
      this.total = first.total;
      this.bytes = first.bytes;
      // The rest of what a tree is made of.
      if (this.bytes.length < this.total && this.total <= TREE) {
        const rest = await content(this.url({ as: "raw", from: this.bytes.length, count: this.total }));
        this.bytes = joined(this.bytes, rest.bytes);
      }
      this.offer();
    } catch (error) {
      this.place.replaceChildren(problem(error, () => this.load()));
    }
  }

  offer() {
    if (this.total === 0) {
      this.tabs.remove();
      this.place.replaceChildren(element("p", { class: "soft" }, "No content."));
      return;
    }
    const ways = [];
    const isWhole = this.bytes.length === this.total;
    this.isText = isText(this.bytes);
    if (pictures.some((magic) => magic.every((byte, index) => this.bytes[index] === byte))) {
      ways.push(["Picture", () => this.picture()]);
    }
    if (isWhole && this.isText) {
      const tree = treeOf(new TextDecoder().decode(this.bytes));
      if (tree) ways.push([tree.name, () => this.place.replaceChildren(new TreeView(tree.root).element)]);
    }
    const textWay = ["Text", () => this.slice((slice) => new TextDecoder().decode(slice))];
    const hexWay = ["Hex", () => this.slice(hex)];
    ways.push(...(this.isText ? [textWay, hexWay] : [hexWay, textWay]));
    this.tabs.replaceChildren(
      ...ways.map(([name, action]) =>
        button(name, (event) => {
          for (const other of this.tabs.querySelectorAll("button[aria-pressed]")) {
            other.setAttribute("aria-pressed", String(other === event.currentTarget));
          }
          action();
        }, { "aria-pressed": "false" })
      ),
      element("span", { class: "soft stretch" }, sized(this.total)),
      ...(this.isText && isWhole
        ? [button("Copy", () => copy(new TextDecoder().decode(this.bytes), "the content"))]
        : []),
      element("a", { class: "button", href: this.url({ as: "download" }), download: "" }, "Download"),
    );
    if (this.size > this.total) {
      const cut = `These are the first ${sized(this.total)} of ${sized(this.size)}; Download as sent has all.`;
      this.place.before(element("p", { class: "warning" }, cut));
    }
    this.tabs.querySelector("button").click();
  }

  picture() {
    // The server has recognised it by its bytes too, and says nothing else than a type of pictures.
    const image = element("img", { src: this.url({ as: "view" }), alt: `Picture: ${this.name}` });
    const size = element("p", { class: "soft" });
    image.addEventListener("load", () => {
      size.textContent = `${image.naturalWidth} × ${image.naturalHeight} pixels`;
    });
    image.addEventListener("error", () => {
      size.textContent = "The browser cannot show this picture; Hex shows its bytes.";
    });
    this.place.replaceChildren(image, size);
  }

  /** Shows a slice, and the ways to the others. */
  async slice(shown) {
    let { bytes } = this;
    const length = this.bytes.length === this.total && this.total <= SLICE * 4 ? this.total : SLICE;
    const from = Math.min(this.from, Math.max(0, this.total - 1));
    if (from + Math.min(length, this.total - from) <= bytes.length) bytes = bytes.subarray(from, from + length);
    else {
      this.place.replaceChildren(loading("Fetching…"));
      try {
        ({ bytes } = await content(this.url({ as: "raw", from, count: length })));
      } catch (error) {
        this.place.replaceChildren(problem(error, () => this.slice(shown)));
        return;
      }
    }
    const move = (to) => () => {
      this.from = to;
      this.slice(shown);
    };
    const last = Math.floor((this.total - 1) / length) * length;
    const ways = this.total > length &&
      element(
        "div",
        { class: "tools" },
        button("First", move(0)),
        button("Before", move(Math.max(0, from - length))),
        element(
          "span",
          { class: "soft" },
          `bytes ${grouped(from)} to ${grouped(from + bytes.length - 1)} of ${grouped(this.total)}`,
        ),
        button("Next", move(Math.min(last, from + length))),
        button("Last", move(last)),
      );
    this.place.replaceChildren(
      ...[
        ways,
        element(
          "pre",
          { tabindex: "0", role: "region", "aria-label": this.name, class: shown === hex ? "hex" : "" },
          shown(bytes, from),
        ),
      ].filter(Boolean),
    );
  }
}

function joined(first, second) {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Whether bytes are text: UTF-8, with no control characters but white space and escapes. */
function isText(bytes) {
  const start = bytes.subarray(0, SLICE);
  for (const byte of start) if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The tree of a text and what it is called; nothing where it is neither JSON nor XML. */
export function treeOf(text) {
  try {
    if (/^\s*[[{]/.test(text)) return { name: "JSON", root: jsonTree(text) };
    if (/^\s*</.test(text)) return { name: "XML", root: xmlTree(text) };
  } catch { /* Text it is, then. */ }
  return null;
}

/** Bytes in rows of 16: place, bytes, letters. */
export function hex(bytes, from = 0) {
  const lines = [];
  for (let start = 0; start < bytes.length; start += 16) {
    const row = [...bytes.subarray(start, start + 16)];
    const digits = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${(from + start).toString(16).padStart(8, "0")}  ${digits.padEnd(47)}  ${letters}`);
  }
  return lines.join("\n");
}
