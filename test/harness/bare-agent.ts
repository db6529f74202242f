/** An Agent with nothing of ours in it, for the parts that work on any Agent's SQLite. */
import { Agent } from "agents";

export class BareAgent extends Agent {}
