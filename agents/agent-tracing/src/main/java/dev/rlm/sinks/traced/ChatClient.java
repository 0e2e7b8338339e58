package dev.rlm.sinks.traced;

/**
 * Sender of requests to a model, in whatever form an agent's library has it.
 *
 * @param <Q> the request
 * @param <R> the reply
 * @param <X> what sending may throw; {@link RuntimeException} where it throws nothing that is checked
 */
@FunctionalInterface
public interface ChatClient<Q, R, X extends Exception> {
    /** Sends the request. */
    R send(Q request) throws X;
}
