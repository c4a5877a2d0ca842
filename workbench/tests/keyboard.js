// Moves through the page by keyboard alone, as a person would: Tab until the wanted control has the focus.

/** Accessible name and role of the element with the focus, as far as the tests need them. */
async function focused(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return { name: "", role: "" };
    const label = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent ?? "";
    return { name: label.replace(/\s+/g, " ").trim(), role: element.getAttribute("role") ?? element.tagName.toLowerCase() };
  });
}

/** Presses Tab until a control whose name matches has the focus. */
export async function tabTo(page, wanted, most = 260) {
  const matches = (name) => (wanted instanceof RegExp ? wanted.test(name) : name === wanted);
  const seen = [];
  for (let step = 0; step < most; step++) {
    const { name } = await focused(page);
    if (matches(name)) return name;
    seen.push(name);
    await page.keyboard.press("Tab");
  }
  throw new Error(`no control named ${wanted}; seen: ${[...new Set(seen)].slice(0, 80).join(" | ")}`);
}

export async function activate(page, wanted) {
  await tabTo(page, wanted);
  await page.keyboard.press("Enter");
}

/** Goes to a step of the left navigation. */
export async function step(page, name) {
  await tabTo(page, new RegExp(`^[✓•!\\d]*\\s*${name}`));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

export { focused };
