package dev.rlm.cli;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option that keeps a server's token in a file of its user alone, in the place of printing it; or gives it one. */
public final class TokenFile {
    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "Keep the server's token there, for this user alone and while it runs, in the place of printing"
                            + " it; a file that holds a token gives it.")
    private @Nullable Path file;

    private boolean written;

    /** Returns whether there is one. */
    public boolean isGiven() {
        return file != null;
    }

    /**
     * Returns the token that the variable says, else the one that the file holds, else a new one.
     *
     * @throws SinkConfigException if the one that is configured is too easy to guess, or cannot stand in a header
     * @throws UsageException if everybody may write to the file
     */
    public Token token(SinkConfig config, String variable) {
        if (file != null) {
            Token.checkOwn(file);
        }
        Token token = Token.of(config, variable);
        return token.isMade() && file != null ? Token.in(file).orElse(token) : token;
    }

    /** Writes the token, if a file is given that does not hold it. */
    public void write(Token token) {
        if (file != null && !token.isHeldBy(file)) {
            try {
                token.write(file);
                written = true;
            } catch (IOException | UnsupportedOperationException e) {
                throw new UsageException("--token-file=" + file + " cannot be written: " + e);
            }
        }
    }

    /**
     * Deletes the file, if it was written here and has this token.
     *
     * @return what went wrong; the token is good for nothing by then
     */
    public Optional<String> delete(Token token) {
        if (file != null && written) {
            try {
                token.deleteFrom(file);
            } catch (IOException e) {
                return Optional.of(file + " cannot be deleted: " + e);
            }
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return String.valueOf(file);
    }
}
