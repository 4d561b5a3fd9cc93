/** JSON as a tree that keeps what is in the text: digits of numbers, members that come twice, their order. */

const DEEPEST = 500;
const token = /\s*(?:("[^"\\]*(?:\\.[^"\\]*)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|([[\]{},:]))/ys;

/** The tree of a text: nodes with `name`, `kind`, `text`, `path` and `children`; throws where it is no JSON. */
export function jsonTree(text) {
  token.lastIndex = 0;
  let depth = 0;
  const next = () => {
    const match = token.exec(text);
    if (!match) throw new SyntaxError("no JSON");
    return match;
  };

  function value(match, name, path) {
    if (match[1] !== undefined) return { name, path, kind: "string", text: JSON.parse(match[1]), children: [] };
    if (match[2] !== undefined) return { name, path, kind: "number", text: match[2], children: [] };
    if (match[3] !== undefined) return { name, path, kind: "word", text: match[3], children: [] };
    if (match[4] !== "{" && match[4] !== "[") throw new SyntaxError("no JSON");
    depth += 1;
    if (depth > DEEPEST) throw new SyntaxError("too deep");
    const node = match[4] === "{" ? object(name, path) : array(name, path);
    depth -= 1;
    return node;
  }

  function object(name, path) {
    const node = { name, path, kind: "object", text: "", children: [] };
    let match = next();
    if (match[4] === "}") return node;
    for (;;) {
      if (match[1] === undefined || next()[4] !== ":") throw new SyntaxError("no JSON");
      const key = JSON.parse(match[1]);
      node.children.push(value(next(), key, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`));
      const end = next()[4];
      if (end === "}") return node;
      if (end !== ",") throw new SyntaxError("no JSON");
      match = next();
    }
  }

  function array(name, path) {
    const node = { name, path, kind: "array", text: "", children: [] };
    let match = next();
    if (match[4] === "]") return node;
    for (;;) {
      node.children.push(value(match, String(node.children.length), `${path}/${node.children.length}`));
      const end = next()[4];
      if (end === "]") return node;
      if (end !== ",") throw new SyntaxError("no JSON");
      match = next();
    }
  }

  const root = value(next(), "", "");
  if (text.slice(token.lastIndex).trim() !== "") throw new SyntaxError("more than one value");
  return root;
}
