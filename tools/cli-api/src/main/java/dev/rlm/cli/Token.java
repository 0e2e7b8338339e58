package dev.rlm.cli;

import dev.rlm.sinks.SinkConfig;
import dev.rlm.sinks.SinkConfigException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Secret that requests to an HTTP server of this program must know. */
public final class Token {
    private static final String SCHEME = "bearer ";
    private static final int BYTES = 16;
    private static final int MAX_FILE = 600;
    private static final Pattern FORM = Pattern.compile("[\\x21-\\x7e]{16,512}");

    private static final Pattern NAMED = Pattern.compile("([A-Za-z0-9._-]{1,64})\\s+(" + FORM.pattern() + ")");

    private final String value;
    private final boolean made;

    private Token(String value, boolean made) {
        this.value = value;
        this.made = made;
    }

    /**
     * Returns the one that the variable says, else a new one.
     *
     * @throws SinkConfigException if the one that is configured is too easy to guess, or cannot stand in a header
     */
    public static Token of(SinkConfig config, String variable) {
        Optional<String> given = config.shared().string(variable);
        if (given.isPresent() && !FORM.matcher(given.get()).matches()) {
            throw new SinkConfigException(variable + " is not valid: expected 16 to 512 visible ASCII characters");
        }
        return given.map(value -> new Token(value, false)).orElseGet(Token::random);
    }

    /**
     * Returns the tokens of a file by the names of those that have them: a line each has a name, a blank and a token. Lines that
     * begin with a # are passed over.
     *
     * @throws UsageException if there are none, or a line is not valid; it does not tell what the line holds
     */
    public static Map<String, Token> named(Path file) {
        checkOwn(file);
        Map<String, Token> tokens = new LinkedHashMap<>();
        try {
            int number = 0;
            for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
                number++;
                Matcher parts = NAMED.matcher(line.strip());
                boolean blank = line.isBlank() || line.startsWith("#");
                if (!blank && (!parts.matches() || tokens.containsKey(parts.group(1)))) {
                    throw new UsageException(
                            "line " + number + " of " + file + " is not valid: expected a name of its own,"
                                    + " a blank, and a token of 16 to 512 visible ASCII characters");
                } else if (!blank) {
                    tokens.put(parts.group(1), new Token(parts.group(2), false));
                }
            }
        } catch (IOException e) {
            throw new UsageException(file + " cannot be read: " + e);
        }
        if (tokens.isEmpty()) {
            throw new UsageException(file + " holds no token: expected lines of a name, a blank and a token");
        }
        return tokens;
    }

    /** Returns a new one. */
    public static Token random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return new Token(HexFormat.of().formatHex(bytes), true);
    }

    /** Returns the secret itself. */
    public String value() {
        return value;
    }

    /** Returns whether it was made here, so that no client knows it yet. */
    public boolean isMade() {
        return made;
    }

    /** Returns whether the header has it, found out in the same time whatever the header says. */
    public boolean isIn(@Nullable String authorization) {
        boolean scheme = authorization != null && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
        String given = authorization == null || !scheme ? "" : authorization.substring(SCHEME.length());
        return MessageDigest.isEqual(bytes(given.strip()), bytes(value));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Writes it to a file that only its owner may read. A file that is there is replaced only if it holds a token. */
    public void write(Path file) throws IOException {
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && in(file).isEmpty()) {
            throw new FileAlreadyExistsException(file.toString(), null, "and holds no token");
        }
        Path folder = file.toAbsolutePath().getParent();
        FileAttribute<?> ownersOnly =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Path made = Files.createTempFile(folder, ".token", "", ownersOnly);
        try {
            Files.writeString(made, value + "\n");
            Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(made);
        }
    }

    /** Takes the file away, unless somebody has put another in its place. */
    public void deleteFrom(Path file) throws IOException {
        if (isHeldBy(file)) {
            Files.deleteIfExists(file);
        }
    }

    /** Returns whether it is what such a file holds. */
    boolean isHeldBy(Path file) {
        return in(file).filter(token -> token.value.equals(value)).isPresent();
    }

    /**
     * Checks that a file of tokens is its user's alone.
     *
     * @throws UsageException if others may write to it
     */
    static void checkOwn(Path file) {
        try {
            if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE)) {
                throw new UsageException(
                        file + " can be written to by everybody: a token there is anybody's (chmod 600)");
            }
        } catch (IOException | UnsupportedOperationException e) {
            // it is not there, or has no such permissions
        }
    }

    /** Returns the token that such a file holds, where it can be read; links are not followed. */
    static Optional<Token> in(Path file) {
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > MAX_FILE) {
                return Optional.empty();
            }
            String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).strip();
            return Optional.of(text).filter(FORM.asMatchPredicate()).map(found -> new Token(found, false));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
