// Actions on jobs. kml first says which command it would run; only a click on that runs it, once.

let mayAct = false;
let kubeconfig = "";  // the file that the user named; commands to copy name it, too

const actionsFor = ({row}) => {
  if (row.kind === "Pod") return [];  // no command acts on a single pod
  const isOver = ["Succeeded", "Failed", "Cancelled"].includes(row.state);
  return [...(isOver ? [] : ["cancel", row.state === "Suspended" ? "resume" : "suspend"]), "rerun"];
};

const actionButtons = (item) => (mayAct ? actionsFor(item).map((action) => {
  const button = html("button", {type: "button"}, action);
  button.addEventListener("click", () => askAction(item, action));
  return button;
}) : []);

async function askAction(item, action) {
  const dialog = html("dialog", {"aria-labelledby": "question"});
  const words = html("p", {id: "question"}, `${action} job ${item.row.name}?`), command = html("pre", {}), result = html("p", {class: "note", role: "status"});
  const yes = html("button", {type: "button", class: "yes", disabled: ""}, `${action} ${item.row.name}`), no = html("button", {type: "button"}, "close");
  const priority = html("input", {type: "text", "aria-label": "priority class", placeholder: "priority class: unchanged"});
  dialog.append(words, command, action === "rerun" ? priority : html("span"), html("div", {class: "tools"}, yes, no), result);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  no.addEventListener("click", () => dialog.close());
  let id = null;
  const prepare = async () => {
    yes.disabled = true;
    const answer = await ask("/data/ask", {body: {action, cluster: item.cluster, namespace: item.row.namespace ?? "", name: jobArgument(item.row), priority: priority.value}});
    command.textContent = answer.command ?? "";
    result.textContent = answer.error?.what ?? "";
    id = answer.id;
    yes.disabled = !id;
  };
  priority.addEventListener("change", prepare);
  yes.addEventListener("click", async () => {
    yes.disabled = true;
    result.textContent = "running…";
    const answer = await ask("/data/act", {body: {id}});
    result.textContent = answer.error?.what ?? `${answer.out}${answer.errors}`.trim();
    result.classList.toggle("bad", Boolean(answer.error) || answer.exitCode !== 0);
  });
  dialog.showModal();
  await prepare();
  yes.focus();
}
