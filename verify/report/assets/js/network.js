/* What rests on what, without any drawing: who is above and below, arrows through what is hidden, the way to
   the weakest claim. */

const Network = (() => {
  const uses = (label) => claims.get(label).uses.filter((used) => claims.has(used));
  const users = (label) => claims.get(label).used_by;
  const rank = (verdict) => data.verdicts.indexOf(verdict);

  function closure(label, next) {
    const found = new Set();
    const waiting = [...next(label)];
    while (waiting.length) {
      const one = waiting.pop();
      if (found.has(one)) continue;
      found.add(one);
      waiting.push(...next(one));
    }
    return found;
  }

  /** The visible claims that one rests on with nothing visible in between. */
  function nearest(label, visible) {
    const found = new Set(), passed = new Set(), waiting = [...uses(label)];
    while (waiting.length) {
      const one = waiting.pop();
      if (passed.has(one)) continue;
      passed.add(one);
      if (visible.has(one)) found.add(one);
      else waiting.push(...uses(one));
    }
    return found;
  }

  /** Arrows between visible claims; one that follows from two others is left out. */
  function arrows(visible) {
    const direct = new Map([...visible].map((label) => [label, nearest(label, visible)]));
    const reach = new Map();
    const below = (label) => {
      if (!reach.has(label)) {
        const found = new Set();
        for (const next of direct.get(label)) {
          found.add(next);
          for (const more of below(next)) found.add(more);
        }
        reach.set(label, found);
      }
      return reach.get(label);
    };
    const found = [];
    for (const [from, targets] of direct) {
      for (const to of targets) {
        if ([...targets].some((other) => other !== to && below(other).has(to))) continue;
        found.push({ from, to, through: !uses(from).includes(to) });
      }
    }
    return found;
  }

  /** The shortest way from a claim down to one that is as weak as its transitive verdict. */
  function why(label) {
    const weakest = claims.get(label).transitive;
    const cameFrom = new Map([[label, null]]);
    const waiting = [label];
    while (waiting.length) {
      const one = waiting.shift();
      if (claims.get(one).verdict === weakest) {
        const path = [];
        for (let at = one; at !== null; at = cameFrom.get(at)) path.unshift(at);
        return path;
      }
      for (const next of uses(one)) {
        if (!cameFrom.has(next)) {
          cameFrom.set(next, one);
          waiting.push(next);
        }
      }
    }
    return [label];
  }

  return { uses, users, rank, below: (label) => closure(label, uses), above: (label) => closure(label, users), arrows, why };
})();
