import { type ReactNode, useDeferredValue, useRef, useState } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

const plugins = [remarkGfm];

/**
 * What a model wrote. HTML in it stays text, addresses with unsafe schemes are
 * dropped, and pictures become links: a model that was talked into it must not
 * make the browser call anybody.
 */
const components: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  img: ({ src, alt }) => <Link href={typeof src === "string" ? src : undefined}>{alt || "picture"}</Link>,
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  table: ({ children }) => (
    <div className="wide" role="group" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

/** Drawn when there is time: typing and scrolling come first while a long answer streams. */
export function Markdown({ text }: { readonly text: string }) {
  const drawn = useDeferredValue(text);
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={plugins} components={components}>
        {drawn}
      </ReactMarkdown>
    </div>
  );
}

function Link({ href, children }: { readonly href: string | undefined; readonly children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function CodeBlock({ children }: { readonly children: ReactNode }) {
  const block = useRef<HTMLPreElement>(null);
  const [isCopied, setIsCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(block.current?.textContent ?? "").then(() => setIsCopied(true));
  };
  return (
    <div className="code">
      <pre ref={block} tabIndex={0}>
        {children}
      </pre>
      <button type="button" className="copy" onClick={copy} onBlur={() => setIsCopied(false)}>
        {isCopied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}
