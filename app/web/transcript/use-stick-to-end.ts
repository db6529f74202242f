/**
 * Keeps a scrolled list at its end while it grows, and leaves it alone as soon
 * as somebody scrolls up. What is put in front moves nothing on the screen.
 */
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

/** This close to the end counts as at the end, in CSS pixels. */
const NEAR = 48;

export interface StickToEnd {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly isAtEnd: boolean;
  readonly goToEnd: () => void;
}

/** `firstId` names what stands first in the list: when it changes, something was put in front. Without one nothing sticks. */
export function useStickToEnd(firstId: string | undefined): StickToEnd {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const sticks = useRef(true);
  const first = useRef(firstId);
  const place = useRef({ top: 0, height: 0 });

  const goToEnd = useCallback(() => {
    sticks.current = true;
    setIsAtEnd(true);
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || content.current === null) return undefined;
    const onScroll = () => {
      const rest = element.scrollHeight - element.scrollTop - element.clientHeight;
      // Only a move upwards is somebody's wish; the distance also grows when the list does.
      if (rest < NEAR) sticks.current = true;
      else if (element.scrollTop < place.current.top) sticks.current = false;
      place.current = { top: element.scrollTop, height: element.scrollHeight };
      setIsAtEnd(sticks.current || rest < NEAR);
    };
    const observer = new ResizeObserver(() => {
      if (sticks.current && first.current !== undefined) element.scrollTop = element.scrollHeight;
      onScroll();
    });
    observer.observe(content.current);
    observer.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    const isPutInFront = first.current !== firstId;
    first.current = firstId;
    if (element === null || sticks.current || !isPutInFront) return;
    element.scrollTop += element.scrollHeight - place.current.height;
  });

  return { box, content, isAtEnd, goToEnd };
}
