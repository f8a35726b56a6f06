// Type declarations for importing CSS files.

declare module "*.css";
