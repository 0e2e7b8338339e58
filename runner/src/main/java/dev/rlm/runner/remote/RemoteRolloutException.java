package dev.rlm.runner.remote;

/** Tells why a rollout came to nothing that could be scored. */
final class RemoteRolloutException extends Exception {
    private static final long serialVersionUID = 1;

    RemoteRolloutException(String message) {
        super(message);
    }
}
