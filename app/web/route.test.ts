import { describe, expect, it } from "vitest";
import { pathOf, routeOf } from "./route.ts";

describe("routes", () => {
  it("finds any name again that it has put into an address", () => {
    for (const name of ["swift-juggler-4821", "a b", "ü/ö?#%", "日本"]) {
      expect(routeOf(pathOf(name))).toEqual({ page: "conversation", name });
    }
  });

  it("begins something new at the root and knows nothing else", () => {
    expect(routeOf("/")).toEqual({ page: "new" });
    for (const path of ["/c/", "/c", "/c/a/b", "/settings"]) expect(routeOf(path)).toEqual({ page: "nowhere" });
  });

  it("finds nothing at an address that is not properly encoded", () => {
    for (const path of ["/c/100%", "/c/%E0%A4%A"]) expect(routeOf(path)).toEqual({ page: "nowhere" });
  });
});
