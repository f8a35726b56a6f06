// A probe that is bundled into measured programs. On SIGUSR2, it prints event-loop delays in milliseconds as JSON to
// stderr.

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
