export const screens = ["open", "columns", "hierarchies", "promise", "explore", "compare", "risk", "release", "opened"] as const;
export type Screen = (typeof screens)[number];

function read(): { screen: Screen; detail: string } {
  const [name = "", ...rest] = location.hash.replace(/^#\//, "").split("/");
  const screen = screens.find((candidate) => candidate === name) ?? "open";
  return { screen, detail: decodeURIComponent(rest.join("/")) };
}

/** The screen in the address. `detail` is at most a column's name: no value of a cell ever reaches the address. */
class Route {
  #now = $state.raw(read());

  constructor() {
    addEventListener("hashchange", () => (this.#now = read()));
  }

  get screen(): Screen {
    return this.#now.screen;
  }

  get detail(): string {
    return this.#now.detail;
  }

  go(screen: Screen, detail = ""): void {
    location.hash = detail === "" ? `#/${screen}` : `#/${screen}/${encodeURIComponent(detail)}`;
  }
}

export const route = new Route();
