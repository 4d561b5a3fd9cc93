import { element } from "./content.js";

/** Shows what was found, the worst first, each with the rows that are its evidence. */
export function showFindings(place, content, openRow) {
  const parts = [element("h2", "", content.findings.length === 0 ? "Nothing was found" : "Findings")];
  for (const finding of content.findings) {
    const article = element("article", finding.severity);
    article.id = `finding-${finding.name}`;
    article.tabIndex = -1;
    article.append(element("h3", "", `${finding.severity}: ${finding.rule}`), element("pre", "", finding.text));
    for (const name of finding.rows) {
      const button = element("button", "", name);
      button.type = "button";
      button.disabled = !content.places.has(name);
      if (button.disabled) button.title = "This row is not in the report";
      button.addEventListener("click", () => openRow(name));
      article.append(button);
    }
    parts.push(article);
  }
  place.replaceChildren(...parts);
}
