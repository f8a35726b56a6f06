// What people wrote, short enough to be told back to them.

export function shorten(text: string, most = 60): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
