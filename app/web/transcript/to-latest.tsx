import { useState } from "react";
import { Icon } from "../shell/icons.tsx";

interface ToLatestProps {
  readonly isAtEnd: boolean;
  readonly onGo: () => void;
}

/** The way back to the end. It does not go away under the one who has just come to it with the keyboard. */
export function ToLatest({ isAtEnd, onGo }: ToLatestProps) {
  const [hasFocus, setHasFocus] = useState(false);
  if (isAtEnd && !hasFocus) return null;
  const go = () => {
    setHasFocus(false);
    onGo();
  };
  return (
    <button
      type="button"
      className="to-end"
      onClick={go}
      onFocus={(event) => setHasFocus(event.target.matches(":focus-visible"))}
      onBlur={() => setHasFocus(false)}
    >
      <Icon name="down" /> Latest
    </button>
  );
}
