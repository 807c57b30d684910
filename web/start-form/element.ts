/** Elements of the page outside the form. */

type Content = string | Node | undefined;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content.filter((part) => part !== undefined));
  return made;
}

export function button(text: string, onClick: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", class: "button" }, text);
  made.addEventListener("click", onClick);
  return made;
}

/** For what takes the place of everything: where the reader is to go on. */
export function heading(text: string): HTMLHeadingElement {
  return element("h1", { tabindex: "-1" }, text);
}
