/** XML as a tree: elements with their attributes and text. A parsed document is inert: nothing in it runs or loads. */

/** The tree of a text: nodes with `name`, `kind`, `text`, `path` and `children`; throws where it is not well-formed. */
export function xmlTree(text) {
  // A document type could have entities that grow without end.
  if (/<!DOCTYPE/i.test(text.slice(0, 4096))) throw new SyntaxError("has a document type");
  const parsed = new DOMParser().parseFromString(text, "application/xml");
  if (parsed.getElementsByTagNameNS("http://www.w3.org/1999/xhtml", "parsererror").length > 0) {
    throw new SyntaxError("not well-formed");
  }
  return node(parsed.documentElement, `/${parsed.documentElement.nodeName}`);
}

function node(found, path) {
  const children = [...found.attributes].map((attribute) => ({
    name: `@${attribute.name}`,
    kind: "attribute",
    text: attribute.value,
    path: `${path}/@${attribute.name}`,
    children: [],
  }));
  const elements = [...found.children];
  const counts = new Map();
  for (const each of elements) counts.set(each.nodeName, (counts.get(each.nodeName) ?? 0) + 1);
  const seen = new Map();
  for (const child of found.childNodes) {
    if (child.nodeType === Node.ELEMENT_NODE) {
      const place = (seen.get(child.nodeName) ?? 0) + 1;
      seen.set(child.nodeName, place);
      const which = counts.get(child.nodeName) > 1 ? `[${place}]` : "";
      children.push(node(child, `${path}/${child.nodeName}${which}`));
    } else if (elements.length > 0 && child.nodeType !== Node.COMMENT_NODE && child.textContent.trim() !== "") {
      children.push({
        name: "text()",
        kind: "text",
        text: child.textContent.trim(),
        path: `${path}/text()`,
        children: [],
      });
    }
  }
  return {
    name: found.nodeName,
    kind: "element",
    text: elements.length === 0 ? found.textContent : "",
    path,
    children,
  };
}
