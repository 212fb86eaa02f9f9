const form = document.getElementById("filter");
function filter() {
  const levels = new Set([...form.querySelectorAll("input:checked")].map((box) => box.value));
  const server = form.elements.server ? form.elements.server.value : "";
  let shown = 0, all = 0;
  for (const section of document.querySelectorAll("section")) {
    const here = server === "" || section.dataset.server === server;
    for (const finding of section.querySelectorAll(".finding")) {
      finding.hidden = !here || !levels.has(finding.dataset.level);
      shown += finding.hidden ? 0 : 1;
      all++;
    }
    section.hidden = !here;
  }
  form.querySelector("output").textContent = shown === all ? "" : shown + " of " + all + " shown";
}
if (form) {
  form.addEventListener("change", filter);
  filter();
}
