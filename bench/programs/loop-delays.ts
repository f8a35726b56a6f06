// A probe that is bundled into a measured program. On SIGUSR2, it prints the event-loop delays in milliseconds, as JSON
// on stderr.

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
