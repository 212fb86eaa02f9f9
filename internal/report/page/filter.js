const form = document.getElementById("filter");
function filter() {
  const levels = new Set([...form.querySelectorAll("input:checked")].map((box) => box.value));
  const server = form.elements.server ? form.elements.server.value : "";
  let shown = 0, all = 0;
  for (const section of document.querySelectorAll(".cause")) {
    let any = false;
    for (const finding of section.querySelectorAll(".finding")) {
      finding.hidden = !levels.has(finding.dataset.level) || server !== "" && !finding.dataset.servers.split(" ").includes(server);
      any = any || !finding.hidden;
      shown += finding.hidden ? 0 : 1;
      all++;
    }
    section.hidden = !any;
  }
  form.querySelector("output").textContent = shown === all ? "" : shown + " of " + all + " shown";
}
if (form) {
  form.addEventListener("change", filter);
  filter();
}
