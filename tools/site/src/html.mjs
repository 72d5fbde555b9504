/** Text as HTML shows it, also within quotes. Braces are escaped too: they are read as expressions where pages are compiled. */
export function escapeHtml(text) {
  return text.replace(/[&<>"'{}]/g, (one) => `&#${one.charCodeAt(0)};`);
}

/** Text with `code`. */
export function inline(text) {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** A heading of a section that has an anchor of its own, in the form that the index for the search looks for. */
export function heading(level, id, html) {
  const label = html.replace(/<[^>]+>/g, '').trim();
  const anchor = `<a class="header-anchor" href="#${id}" aria-label="Permalink to “${label}”">&#8203;</a>`;
  return `<h${level} id="${id}" tabindex="-1">${html} ${anchor}</h${level}>\n`;
}
