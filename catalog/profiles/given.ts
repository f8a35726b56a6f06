// What a user gave, as JSON has it: a member has a value or is not there, so that defaults can be spread under it.

export type Given<T> = T extends readonly (infer One)[]
  ? readonly Given<One>[]
  : T extends object
    ? { readonly [Key in keyof T]: Given<Exclude<T[Key], undefined>> }
    : T;
