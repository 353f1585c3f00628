// SPDX-License-Identifier: Apache-2.0
// What a night's point says, the filter of the series, and commands to copy. The page is complete without any of it.
"use strict";

const { nights, places, commits, series } = JSON.parse(document.getElementById("data").textContent);
const tip = document.getElementById("tip");
const format = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });
const shown = (value, unit) => `${format.format(value)} ${unit}`.trim();

// The lines that a point says.
function words(one, [index, value, least, largest, commit]) {
  const lines = [`${nights[one.machine][index]} UTC${commits[commit] ? `, commit ${commits[commit]}` : ""}`];
  if (value !== null) lines.push(shown(value, one.unit));
  if (least !== null) lines.push(`trials from ${format.format(least)} to ${shown(largest, one.unit)}`);
  return [...lines, ...(one.notes[index] ?? [])].join("\n");
}

let cursor = null;

function hide() {
  tip.hidden = true;
  cursor?.remove();
  cursor = null;
}

// Shows the point of a number, with a line through it.
function show(svg, number) {
  const one = series[svg.parentElement.id];
  const point = one?.points[number];
  if (!point) return hide();
  svg.dataset.at = number;
  const x = places[one.machine][point[0]];
  const box = svg.getBoundingClientRect();
  const view = svg.viewBox.baseVal;
  if (!cursor || cursor.parentNode !== svg) {
    cursor?.remove();
    cursor = document.createElementNS("http://www.w3.org/2000/svg", "path");
    cursor.setAttribute("class", "cursor");
    svg.append(cursor);
  }
  cursor.setAttribute("d", `M${x} 16V${view.height - 18}`);
  tip.hidden = false;
  tip.textContent = words(one, point);
  const width = document.documentElement.clientWidth;
  const left = box.left + (x / view.width) * box.width + 12;
  tip.style.left = `${Math.max(8, Math.min(left, width - tip.offsetWidth - 8)) + scrollX}px`;
  tip.style.top = `${box.bottom + scrollY + 4}px`;
}

// The number of the point that is nearest to a place of the chart.
function nearest(svg, x) {
  const one = series[svg.parentElement.id];
  if (!one) return -1;
  const at = places[one.machine];
  let best = -1;
  one.points.forEach(([index], number) => {
    if (best < 0 || Math.abs(at[index] - x) < Math.abs(at[one.points[best][0]] - x)) best = number;
  });
  return best;
}

function pointed(event) {
  const svg = event.target.closest?.(".small-chart");
  if (!svg) {
    if (!document.activeElement?.matches?.(".small-chart:focus-visible")) hide();
    return;
  }
  const box = svg.getBoundingClientRect();
  show(svg, nearest(svg, ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width));
}
document.addEventListener("pointermove", pointed);
document.addEventListener("pointerdown", pointed);

document.addEventListener("keydown", (event) => {
  const svg = event.target.closest?.(".small-chart");
  if (event.key === "Escape") hide();
  if (!svg) return;
  const last = (series[svg.parentElement.id]?.points.length ?? 0) - 1;
  const at = Number(svg.dataset.at ?? last);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  show(svg, Math.max(0, Math.min(last, to)));
});
document.addEventListener("focusin", (event) => {
  if (!event.target.matches?.(".small-chart:focus-visible")) return;
  show(event.target, Number(event.target.dataset.at ?? series[event.target.parentElement.id]?.points.length - 1));
});
document.addEventListener("focusout", hide);

// The filter: every word has to be there.
const form = document.getElementById("filter");
if (form) {
  const [search, changed] = form.querySelectorAll("input");
  const groups = [...document.querySelectorAll("[data-group]")].map((group) => [group, [...group.querySelectorAll("figure")]]);
  const apply = () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const [group, figures] of groups) {
      let left = 0;
      for (const figure of figures) {
        const text = figure.dataset.text;
        const fits = (!changed.checked || "changed" in figure.dataset) && wanted.every((word) => text.includes(word));
        figure.hidden = !fits;
        left += fits;
      }
      group.hidden = left === 0;
      count += left;
    }
    form.querySelector("output").textContent = `${count} series`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
}

for (const button of document.querySelectorAll(".copy")) {
  const command = button.parentElement.querySelector("code");
  button.setAttribute("aria-label", `copy ${command.textContent}`);
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(command);
    try {
      await navigator.clipboard.writeText(command.textContent);
      button.textContent = "copied";
    } catch {
      button.textContent = "selected";
    }
    setTimeout(() => (button.textContent = "copy"), 2000);
  });
  button.hidden = false;
}

// A link to a place that is folded away, or filtered out, shows it.
const unfold = () => {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (place instanceof HTMLDetailsElement) place.open = true;
  for (let around = place; around; around = around.parentElement) around.hidden = false;
  place?.scrollIntoView();
};
addEventListener("hashchange", unfold);
if (location.hash) unfold();
