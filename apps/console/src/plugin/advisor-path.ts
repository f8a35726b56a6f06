// Where the pages are in the console, below its own base path.

export const advisorPath = "/virt-advisor";
