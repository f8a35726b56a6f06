// The version of this build.

/** Set by the bundler; sources that run as they are have none. */
declare const BUILD_VERSION: string | undefined;

export const version = typeof BUILD_VERSION === "undefined" ? "v0.0.0-dev" : BUILD_VERSION;
