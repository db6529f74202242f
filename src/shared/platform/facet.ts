/**
 * Facets: child objects on the same machine with a database of their own.
 * The class comes from `ctx.exports`, which holds what the Worker's entry file
 * exports; a class that is not there is an error that names the line to add.
 */
import { TroupeError } from "../errors.ts";

/** A typed stub of the facet `className`, started on first use under the key of its class name. */
export function facet<Contract>(ctx: DurableObjectState, className: string): Contract {
  const exported = (ctx.exports as Record<string, unknown>)[className];
  if (exported === undefined) {
    throw new TroupeError(
      "missing_export",
      `The Worker does not export ${className}. Add this line to its entry file: export { ${className} } from "troupe";`,
    );
  }
  return ctx.facets.get(className, () => ({ class: exported as DurableObjectClass })) as Contract;
}
