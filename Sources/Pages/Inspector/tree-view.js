/** A foldable tree with search, and the path of what is selected to copy; only what is unfolded has elements. */

import { button, copy, element, visible } from "./dom.js";

const AT_ONCE = 200;
const LONGEST = 2000;

/** Shows a tree of nodes as json-tree.js and xml-tree.js make them. */
export class TreeView {
  constructor(root) {
    this.root = root;
    this.items = new Map();
    this.input = element("input", {
      type: "search",
      placeholder: "Search names and values",
      "aria-label": "Search in the tree",
      on: {
        input: () => this.search(),
        keydown: (event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          this.step(event.shiftKey ? -1 : 1);
        },
      },
    });
    this.found = element("output", { "aria-live": "polite", class: "soft" });
    this.path = element("code", { class: "path" });
    this.tree = element("ul", {
      role: "tree",
      class: "tree",
      "aria-label": "Content",
      on: { keydown: (event) => this.press(event), click: (event) => this.click(event) },
    });
    this.tree.append(this.item(root, 1));
    this.unfold(root, 2);
    this.element = element(
      "div",
      { class: "tree-view" },
      element(
        "div",
        { class: "tools" },
        this.input,
        this.found,
        button("Unfold all", () => this.unfold(this.root, 100, { budget: 2000 })),
        button("Fold all", () => this.foldAll()),
      ),
      this.tree,
      element(
        "div",
        { class: "tools path-line" },
        this.path,
        button("Copy path", () => copy(this.chosen.path, "the path"), { title: "c" }),
        button("Copy value", () => copy(valueOf(this.chosen), "the value"), { title: "v" }),
      ),
    );
    this.choose(root, { isFocused: false });
  }

  item(node, level) {
    const line = element(
      "span",
      { class: "tree-line" },
      element("span", { class: "fold", "aria-hidden": "true" }),
      node.name !== "" && element("span", { class: `tree-name ${node.kind}` }, node.name),
      element("span", { class: `tree-value ${node.kind}` }, summary(node)),
    );
    const made = element(
      "li",
      { role: "treeitem", tabindex: "-1", "aria-level": level, "aria-selected": "false" },
      line,
    );
    if (node.children.length > 0) made.setAttribute("aria-expanded", "false");
    made.node = node;
    node.level = level;
    this.items.set(node, made);
    return made;
  }

  setFolded(node, isFolded) {
    const item = this.items.get(node);
    if (!item || node.children.length === 0) return;
    item.setAttribute("aria-expanded", String(!isFolded));
    item.querySelector(":scope > ul")?.remove();
    if (isFolded) return;
    const list = element("ul", { role: "group" });
    item.append(list);
    this.more(node, list, 0);
  }

  /** The next children of a node, and a button for further ones. */
  more(node, list, from) {
    const upTo = Math.min(node.children.length, from + AT_ONCE);
    for (const child of node.children.slice(from, upTo)) {
      child.parent = node;
      list.append(this.item(child, node.level + 1));
    }
    if (upTo === node.children.length) return;
    const rest = element(
      "li",
      { role: "none" },
      button(`${node.children.length - upTo} more`, () => {
        rest.remove();
        this.more(node, list, upTo);
      }),
    );
    list.append(rest);
  }

  isUnfolded(node) {
    return this.items.get(node)?.getAttribute("aria-expanded") === "true";
  }

  unfold(node, depth, { budget = 400 } = {}) {
    const next = [[node, depth]];
    let left = budget;
    while (next.length > 0 && left > 0) {
      const [each, more] = next.shift();
      if (more === 0 || each.children.length === 0) continue;
      if (!this.isUnfolded(each)) this.setFolded(each, false);
      left -= each.children.length;
      for (const child of each.children.slice(0, AT_ONCE)) next.push([child, more - 1]);
    }
  }

  foldAll() {
    for (const child of this.root.children) this.setFolded(child, true);
    this.choose(this.root);
  }

  choose(node, { isFocused = true } = {}) {
    const before = this.items.get(this.chosen);
    before?.setAttribute("aria-selected", "false");
    before?.setAttribute("tabindex", "-1");
    this.chosen = node;
    const item = this.items.get(node);
    item.setAttribute("aria-selected", "true");
    item.setAttribute("tabindex", "0");
    this.path.textContent = visible(node.path || "/");
    if (isFocused) item.focus({ preventScroll: false });
  }

  click(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item || event.target.closest("button")) return;
    if (event.target.closest(".fold") || event.detail === 2) this.setFolded(item.node, this.isUnfolded(item.node));
    this.choose(item.node);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const node = this.chosen;
    const shown = [...this.tree.querySelectorAll("[role=treeitem]")];
    const place = shown.indexOf(this.items.get(node));
    const to = (index) => {
      if (shown[index]) this.choose(shown[index].node);
    };
    const actions = {
      ArrowDown: () => to(place + 1),
      ArrowUp: () => to(place - 1),
      Home: () => to(0),
      End: () => to(shown.length - 1),
      ArrowRight:
        () => (node.children.length > 0 && !this.isUnfolded(node) ? this.setFolded(node, false) : to(place + 1)),
      ArrowLeft: () => (this.isUnfolded(node) ? this.setFolded(node, true) : node.parent && this.choose(node.parent)),
      Enter: () => this.setFolded(node, this.isUnfolded(node)),
      " ": () => this.setFolded(node, this.isUnfolded(node)),
      c: () => copy(node.path, "the path"),
      v: () => copy(valueOf(node), "the value"),
    };
    if (!actions[event.key]) return;
    actions[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }

  search() {
    const wanted = this.input.value.toLowerCase();
    this.matches = [];
    this.current = -1;
    if (wanted !== "") {
      const visit = (node, parent) => {
        node.parent ??= parent;
        if (node.name.toLowerCase().includes(wanted) || node.text.toLowerCase().includes(wanted)) {
          this.matches.push(node);
        }
        for (const child of node.children) visit(child, node);
      };
      visit(this.root, null);
      this.step(1);
    }
    this.say();
  }

  say() {
    const { matches } = this;
    this.found.textContent = this.input.value === ""
      ? ""
      : matches.length === 0
      ? "not found"
      : `${this.current + 1} of ${matches.length}`;
  }

  step(by) {
    if (!this.matches?.length) return;
    this.current = (this.current + by + this.matches.length) % this.matches.length;
    const node = this.matches[this.current];
    const above = [];
    for (let each = node.parent; each; each = each.parent) above.unshift(each);
    for (const each of above) {
      if (!this.isUnfolded(each)) this.setFolded(each, false);
      const list = this.items.get(each).querySelector(":scope > ul");
      const next = above[above.indexOf(each) + 1] ?? node;
      // A child that is behind the button comes out with those before it.
      while (!this.items.get(next)?.isConnected && list.lastElementChild?.getAttribute("role") === "none") {
        list.lastElementChild.firstElementChild.click();
      }
    }
    this.choose(node, { isFocused: false });
    this.items.get(node).scrollIntoView({ block: "center" });
    this.say();
  }
}

function summary(node) {
  if (node.kind === "object") return node.children.length === 0 ? "{}" : `{${node.children.length}}`;
  if (node.kind === "array") return node.children.length === 0 ? "[]" : `[${node.children.length}]`;
  const text = node.text.length > LONGEST ? `${node.text.slice(0, LONGEST)}…` : node.text;
  return node.kind === "string" ? JSON.stringify(text) : text;
}

/** What a node stands for, as text. */
function valueOf(node) {
  if (node.kind === "object") {
    return `{${node.children.map((child) => `${JSON.stringify(child.name)}:${valueOf(child)}`).join(",")}}`;
  }
  if (node.kind === "array") return `[${node.children.map(valueOf).join(",")}]`;
  if (node.kind === "string" && node.parent) {
    return node.parent.kind === "element" ? node.text : JSON.stringify(node.text);
  }
  return node.kind === "element" && node.children.some((child) => child.kind === "element")
    ? node.children.map((child) => `${child.name}=${valueOf(child)}`).join("\n")
    : node.text;
}
