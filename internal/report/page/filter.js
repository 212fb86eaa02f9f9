const form = document.getElementById("filter");
const parts = [...document.querySelectorAll(".finding, main > section, tbody tr")];
const texts = new Map();
function text(part) {
  if (!texts.has(part)) {
    texts.set(part, part.textContent.toLowerCase());
  }
  return texts.get(part);
}
function filter() {
  const levels = new Set([...form.querySelectorAll("input:checked")].map((box) => box.value));
  const words = (form.elements.words?.value ?? "").toLowerCase().split(/\s+/).filter((word) => word);
  let shown = 0;
  for (const part of parts) {
    part.hidden = "level" in part.dataset && !levels.has(part.dataset.level) || !words.every((word) => text(part).includes(word));
    shown += part.hidden ? 0 : 1;
  }
  form.querySelector("output").textContent = shown === parts.length ? "" : shown + " of " + parts.length + " shown";
}
if (form) {
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
}
