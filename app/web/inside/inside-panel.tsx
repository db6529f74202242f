import { Icon } from "../shell/icons.tsx";
import { FramesView } from "./frames-view.tsx";
import type { FrameTap } from "./frame-tap.ts";
import { TurnView } from "./turn-view.tsx";
import { useInspection } from "./use-inspection.ts";

interface InsidePanelProps {
  readonly name: string;
  readonly tap: FrameTap;
  readonly isBusy: boolean;
  /** Whether nothing stands in the conversation, as after it was cleared. */
  readonly isEmpty: boolean;
  readonly onClose: () => void;
}

/** For the curious: what goes over the socket, and what the last turn cost the server. */
export function InsidePanel({ name, tap, isBusy, isEmpty, onClose }: InsidePanelProps) {
  const turn = useInspection(name, isBusy, isEmpty);
  return (
    <div className="inside">
      <header>
        <h2>Inside</h2>
        <button type="button" className="bare" aria-label="Close the panel" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <TurnView turn={turn} />
      <FramesView tap={tap} />
    </div>
  );
}
