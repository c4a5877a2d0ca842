// How soon the page is there, on five new servers: npm run paint
import { closeAll, openWorkbench } from "./browser.js";

const milliseconds = [];
for (let turn = 0; turn < 5; turn += 1) {
  const { page, close } = await openWorkbench();
  milliseconds.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN));
  await close();
}
await closeAll();
milliseconds.sort((a, b) => a - b);
console.log(`first contentful paint: median ${Math.round(milliseconds[2])} ms, longest ${Math.round(milliseconds[4])} ms of 5`);
