// Style sheets that a module loads with itself.

declare module "*.css";
