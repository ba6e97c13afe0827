// Numbers as people read them.

// Three significant digits; powers of ten only where they must be.
export function short(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e5 || size < 1e-3) {
    const [digits, power] = value.toExponential(1).split("e");
    return `${digits.replace("-", "−")}·10${[...String(Number(power))].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]).join("")}`;
  }
  return Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3, useGrouping: false }).replace("-", "−");
}

// Large counts with thin spaces.
export const count = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
