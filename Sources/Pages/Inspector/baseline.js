/** Known findings, as `tapedeck diagnose --baseline` reads them: a rule and a fingerprint on each line, or a rule alone. */

const HEAD = "# Known findings: rule, fingerprint, and the message of one of them.\n";

/** What the lines of a baseline name. */
export function entries(text) {
  return new Set(
    text.split(/\r\n|\r|\n/).map((line) => line.replace(/#.*/, "").trim().split(/\s+/).join(" ")).filter(Boolean),
  );
}

const own = ({ rule, fingerprint }) => `${rule} ${fingerprint}`;

/** Whether a finding is known, by its rule or by itself. */
export function knows(known, finding) {
  return known.has(finding.rule) || known.has(own(finding));
}

/** A baseline with a finding as well, or with all of its rule. */
export function withFinding(text, finding, { isWholeRule = false } = {}) {
  const entry = isWholeRule ? finding.rule : own(finding);
  if (entries(text).has(entry)) return text;
  // A message may not end the line, nor begin another comment.
  const about = (finding.message ?? "").replace(/[#\p{Cc}\p{Zl}\p{Zp}]/gu, " ").trim();
  const before = text === "" ? HEAD : text.replace(/([^\n])$/, "$1\n");
  return `${before}${entry}${isWholeRule ? "" : ` # ${about}`}\n`;
}

/** A baseline without what makes a finding known. */
export function withoutFinding(text, finding) {
  const named = new Set([finding.rule, own(finding)]);
  return text.split(/(?<=\n)/).filter((line) => ![...entries(line)].some((entry) => named.has(entry))).join("");
}

/** The lines of two baselines, those of the second that the first has not behind its own. */
export function joined(first, second) {
  const has = entries(first);
  const more = second.split(/\r\n|\r|\n/).filter((line) => [...entries(line)].some((entry) => !has.has(entry)));
  if (more.length === 0) return first;
  return `${first === "" ? HEAD : first.replace(/([^\n])$/, "$1\n")}${more.join("\n")}\n`;
}
