// What a health rule says of an object.

export type Health = {
  readonly state:
    | "done" // it has become what its spec says
    | "waiting" // it is on its way, or nobody has looked at it yet
    | "degraded" // something is wrong that may still heal
    | "failed"; // it will not get there
  readonly message: string; // for people; no branch reads it
};
