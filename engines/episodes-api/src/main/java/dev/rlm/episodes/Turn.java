package dev.rlm.episodes;

import java.util.List;

/**
 * Actions of an agent in one step: mostly a single one; several if a model asked for several at once, which are then
 * done in their order.
 *
 * @param actions at least one
 */
public record Turn(List<Action> actions) {
    public Turn {
        actions = List.copyOf(actions);
        if (actions.isEmpty()) {
            throw new IllegalArgumentException("a turn needs an action");
        }
    }

    /** A turn of one action. */
    public static Turn of(Action action) {
        return new Turn(List.of(action));
    }

    /** A turn of one action that no model asked for. */
    public static Turn of(String type, String code) {
        return of(new Action(type, code));
    }
}
