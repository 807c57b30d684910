/** Elements of the page outside the form. */

type Content = string | Node | undefined;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value);
  created.append(...content.filter((part) => part !== undefined));
  return created;
}

export function button(text: string, onClick: () => void): HTMLButtonElement {
  const created = element("button", { type: "button", class: "button" }, text);
  created.addEventListener("click", onClick);
  return created;
}

/** The title of a text that replaces the whole page. It takes the focus, so that a screen reader continues there. */
export function heading(text: string): HTMLHeadingElement {
  return element("h1", { tabindex: "-1" }, text);
}
