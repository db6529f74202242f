/** The icons of the page: strokes of one width on a 24 by 24 field, unseen by screen readers. */
const PATHS = {
  menu: "M4 7h16M4 12h16M4 17h10",
  plus: "M12 5v14M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  pencil: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  trash: "M5 7h14M10 7V5h4v2M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  copy: "M9 9h10v11H9zM15 9V4H5v11h4",
  check: "M5 12.5l4.5 4.5L19 7.5",
  attach:
    "M20 11.5l-7.8 7.8a4.6 4.6 0 0 1-6.5-6.5l8.2-8.2a3.1 3.1 0 0 1 4.4 4.4l-8.1 8.1a1.6 1.6 0 0 1-2.3-2.3l7.3-7.2",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  retry: "M5 12a7 7 0 1 0 2.3-5.2L5 9M5 4.5V9h4.5",
  down: "M12 5v14M6 13l6 6 6-6",
  file: "M7 3h7l4 4v14H7zM14 3v4h4M10 12h5M10 16h5",
  inside: "M4 5h16v14H4zM14.5 5v14M17 9h.5M17 12h.5",
  sun: "M12 8a4 4 0 1 0 0 8a4 4 0 0 0 0-8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1",
  moon: "M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7z",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  pause: "M9 6v12M15 6v12",
  play: "M8 5.5l10 6.5-10 6.5z",
  eraser: "M9 19h11M8 19l-4-4L14 5l6 6-8 8zM9 10l6 6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
