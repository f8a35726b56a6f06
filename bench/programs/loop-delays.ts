// Bundled into a program: by how many milliseconds its event loop was late, as a line of JSON on stderr after each SIGUSR2.

const everyMs = 5;

let delays: number[] = [];
let due = performance.now() + everyMs;

setInterval(() => {
  const now = performance.now();
  delays.push(Math.max(0, Math.round(now - due)));
  due = now + everyMs;
}, everyMs).unref();

process.on("SIGUSR2", () => {
  process.stderr.write(`${JSON.stringify(delays)}\n`);
  delays = [];
});
