import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from "@ai-sdk/provider";

/** A tool the demo model may call, as the AI SDK hands it over. */
export type DemoTool = LanguageModelV4FunctionTool;
export type Prompt = LanguageModelV4CallOptions["prompt"];
export type ToolInput = Record<string, unknown>;

/** One thing the demo model does. An answer is a list of them, played in order. */
export type Beat =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly toolName: string; readonly input: ToolInput }
  /** The provider breaks: as the first beat the call itself is refused, later the stream ends with the error. */
  | {
      readonly type: "fail";
      readonly error: Error;
      /** As the first beat: after so many refusals of the same prompt the beats behind it are played. Default: it never stops. */
      readonly times?: number;
    }
  /** Nothing more comes, ever. */
  | { readonly type: "hang" };

export const say = (text: string): Beat => ({ type: "text", text });
export const think = (text: string): Beat => ({ type: "reasoning", text });
