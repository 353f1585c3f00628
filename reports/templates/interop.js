// SPDX-License-Identifier: Apache-2.0
// Filters of the interop matrix. Without them the page shows everything.
"use strict";

const form = document.getElementById("filters");
const chosen = (name) => form.querySelector(`[data-filter="${name}"]`).value;
const names = [...form.querySelectorAll("[data-filter]")].map((one) => one.dataset.filter);
const axes = names.filter((name) => name !== "link" && name !== "verdict");

function apply() {
  const link = chosen("link");
  const verdict = chosen("verdict");
  let shown = 0;
  for (const cell of document.querySelectorAll("[data-link]")) cell.hidden = link !== "" && cell.dataset.link !== link;
  for (const pair of document.querySelectorAll("details.pair")) {
    let left = 0;
    for (const row of pair.querySelectorAll("tbody tr")) {
      const cells = [...row.querySelectorAll("td[data-verdict]")].filter((cell) => !cell.hidden);
      const fits =
        axes.every((name) => !chosen(name) || row.getAttribute(`data-${name}`) === chosen(name)) &&
        cells.some((cell) => !verdict || cell.dataset.verdict === verdict);
      row.hidden = !fits;
      if (fits) left += cells.filter((cell) => !verdict || cell.dataset.verdict === verdict).length;
    }
    shown += left;
    const filtered = names.some((name) => chosen(name));
    if (filtered) pair.open = left > 0;
  }
  form.querySelector("output").textContent = `${shown} cells`;
}

form.addEventListener("change", apply);
form.addEventListener("submit", (event) => event.preventDefault());
form.hidden = false;
apply();

// A link to a pair opens it.
function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener("hashchange", open);
open();

// What is folded away on the screen belongs on paper.
const folded = [];
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details:not([open])")) {
    folded.push(details);
    details.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const details of folded.splice(0)) details.open = false;
});
