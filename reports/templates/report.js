// SPDX-License-Identifier: Apache-2.0
// Sorting, filtering and tooltips. The report is complete without any of it.
"use strict";

// A click on a column's title sorts by it: numbers by size, verdicts by weight, the rest as text with numbers in order.
for (const table of document.querySelectorAll("table.sortable")) {
  const titles = [...table.tHead.rows[0].cells];
  titles.forEach((title, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...title.childNodes);
    title.append(button);
    button.addEventListener("click", () => {
      const descending = title.getAttribute("aria-sort") === "ascending";
      for (const other of titles) other.removeAttribute("aria-sort");
      title.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows];
      const key = (row) => {
        const cell = row.cells[column];
        return cell.dataset.sort ?? cell.textContent.trim();
      };
      rows.sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        if (x === "" || y === "") return x === y ? 0 : x === "" ? 1 : -1; // Missing values stay at the end.
        const order = isNaN(x) || isNaN(y) ? x.localeCompare(y, "en", { numeric: true }) : x - y;
        return descending ? -order : order;
      });
      table.tBodies[0].append(...rows);
    });
  });
}

// Buttons and a search field above a long table.
for (const filter of document.querySelectorAll(".filter")) {
  const table = document.getElementById(filter.dataset.table);
  const buttons = [...filter.querySelectorAll("button")];
  const search = filter.querySelector("input");
  const apply = () => {
    const verdict = buttons.find((button) => button.getAttribute("aria-pressed") === "true")?.value ?? "";
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !((!verdict || row.dataset.verdict === verdict) && words.every((word) => text.includes(word)));
    }
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      apply();
    });
  }
  search.addEventListener("input", apply);
  filter.hidden = false;
}

// A link to a place that is folded away unfolds it.
const unfold = () => {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let around = place?.closest("details"); around; around = around.parentElement?.closest("details")) {
    around.open = true;
  }
  place?.scrollIntoView();
};
addEventListener("hashchange", unfold);
if (location.hash) unfold();

// The words that a chart holds for screen readers, shown beside the pointer.
const tip = document.getElementById("tip");
document.addEventListener("pointermove", (event) => {
  const mark = event.target.closest?.(".chart [aria-label][aria-roledescription]");
  const kind = mark?.getAttribute("aria-roledescription") ?? "";
  const words = /bar|point|line mark/.test(kind) ? mark.getAttribute("aria-label") : "";
  tip.hidden = !words;
  if (!words) return;
  tip.textContent = words.replaceAll("; ", "\n");
  tip.style.whiteSpace = "pre-line";
  const left = Math.min(event.pageX + 14, document.documentElement.clientWidth - tip.offsetWidth - 8);
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${event.pageY + 16}px`;
});

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
