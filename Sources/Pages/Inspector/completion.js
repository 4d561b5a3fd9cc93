/** What can stand where the caret is in a filter: names of fields, or values of the field before it. */

const operators = "!=|!~|=~|==|<=|>=|:|=|<|>|~";
const word = new RegExp(`^[-!]?(?:([\\w.-]+?)(?:(${operators})(.*))?)?$`, "s");

/**
 * The part of a filter that is being written: from where on it is replaced, what it begins with, and the field whose
 * value it is, or null for a field.
 */
export function partAt(text, caret) {
  let start = 0;
  let isQuoted = false;
  let set = -1;
  for (let place = 0; place < caret; place += 1) {
    const letter = text[place];
    if (letter === "\\") place += 1;
    else if (letter === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (letter === "{") set = place;
    else if (letter === "}") set = -1;
    else if (set < 0 && /[\s()&|]/.test(letter)) start = place + 1;
  }
  const match = word.exec(text.slice(start, caret));
  if (!match) return null;
  const sign = /^[-!]/.test(text.slice(start, caret)) ? 1 : 0;
  if (match[2] === undefined) return { from: start + sign, begun: match[1] ?? "", field: null };
  let from = caret - match[3].length;
  if (set >= start) from = Math.max(set, text.lastIndexOf(",", caret - 1)) + 1;
  return { from, begun: text.slice(from, caret).replace(/^"|\\/g, ""), field: match[1].toLowerCase() };
}

/** A value as a filter has it. */
export function quoted(value) {
  return /^[^\s(){}",*\\/][^\s(){}",*\\]*$/.test(value)
    ? value
    : `"${value.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t")}"`;
}

/** A filter with a further condition, or without it where it has it already. */
export function toggled(filter, condition) {
  const parts = filter.split(" ");
  const wanted = condition.split(" ");
  const at = parts.findIndex((_, index) => wanted.every((each, offset) => parts[index + offset] === each));
  if (at >= 0) return [...parts.slice(0, at), ...parts.slice(at + wanted.length)].join(" ").trim();
  return narrowed(filter, condition);
}

/** A filter with a further condition. */
export function narrowed(filter, condition) {
  if (filter.trim() === "") return condition;
  return /(^|\s)or(\s|$)|\|/.test(filter) ? `(${filter.trim()}) ${condition}` : `${filter.trim()} ${condition}`;
}
