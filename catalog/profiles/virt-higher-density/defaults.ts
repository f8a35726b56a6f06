// What higher density does where the user says nothing.

export const defaults = {
  enableSwap: true,
  /** Percent. Not in the schema: the profile must tell a ratio that was given from one that was not. */
  memoryToRequestRatio: { withSwap: 150, withoutSwap: 120 },
  ksmConfiguration: { enabled: true },
} as const;
