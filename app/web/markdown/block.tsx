import { Children, isValidElement, memo, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { CodeBlock } from "./code-block.tsx";
import { limitNesting, unlessTooDeep } from "./nesting.ts";

const plugins = [remarkGfm];
const limits = [limitNesting];

/**
 * HTML in a text stays text, addresses with unsafe schemes are dropped, and
 * pictures become links: a model that was talked into it must not make the
 * browser call anybody.
 */
const components: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  img: ({ src, alt }) => <Link href={typeof src === "string" ? src : undefined}>{alt || "picture"}</Link>,
  pre: ({ children }) => codeOf(children),
  table: ({ children }) => (
    <div className="wide" role="group" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <input type="checkbox" checked={checked === true} disabled aria-label="Task" />,
};

/** One top-level block of markdown. Drawn again only when its text is another; as it was written where it is nested too deep. */
export const Block = memo(function Block({ text }: { readonly text: string }) {
  const plain = <p className="plain">{text}</p>;
  // Called and not drawn: it has no hooks, and what it throws is caught here.
  return unlessTooDeep(
    text,
    () => ReactMarkdown({ children: text, components, remarkPlugins: plugins, rehypePlugins: limits }),
    plain,
  );
});

/** Leads elsewhere, without a word about this page; without an address it leads nowhere. */
export function Link({ href, children }: { readonly href: string | undefined; readonly children: ReactNode }) {
  if (!href) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** A `pre` of markdown holds one `code`, whose class tells the language. */
function codeOf(children: ReactNode): ReactNode {
  const [code] = Children.toArray(children);
  if (!isValidElement<{ className?: string; children?: ReactNode }>(code)) return <pre>{children}</pre>;
  const language = /(?:^|\s)language-(\S+)/.exec(code.props.className ?? "")?.[1] ?? "";
  return <CodeBlock code={String(code.props.children ?? "").replace(/\n$/, "")} language={language} />;
}
