// Selects the light or dark theme. Default: the system setting.

import { FormSelect, FormSelectOption } from "@patternfly/react-core";
import { useEffect, useState } from "react";
import { strings } from "../strings.ts";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const storedAs = "virt-console-theme";
const darkClass = "pf-v6-theme-dark";
const darkSystem = "(prefers-color-scheme: dark)";

export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  useEffect(() => {
    const system = matchMedia(darkSystem);
    const show = () => {
      const isDark = theme === "dark" || (theme === "system" && system.matches);
      document.documentElement.classList.toggle(darkClass, isDark);
    };
    show();
    localStorage.setItem(storedAs, theme);
    system.addEventListener("change", show);
    return () => system.removeEventListener("change", show);
  }, [theme]);
  return (
    <FormSelect
      aria-label={strings.theme.label}
      value={theme}
      className="vc-theme"
      onChange={(_, value) => setTheme(value as Theme)}
    >
      {themes.map((one) => (
        <FormSelectOption key={one} value={one} label={strings.theme[one]} />
      ))}
    </FormSelect>
  );
}

function readTheme(): Theme {
  return themes.find((one) => one === localStorage.getItem(storedAs)) ?? "system";
}
