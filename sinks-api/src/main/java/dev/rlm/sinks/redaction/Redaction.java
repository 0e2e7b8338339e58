package dev.rlm.sinks.redaction;

import dev.rlm.sinks.event.Content;
import dev.rlm.sinks.event.Plain;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Takes known secrets out of text: the values of variables whose names say secret, and values registered. In a secret's
 * place stands {@code [REDACTED:kind:hash]}; the hash is keyed anew for each process, so that equal secrets can be told
 * to be equal there and nowhere else.
 */
public final class Redaction {
    private static final String ENVIRONMENT = "env";
    public static final String REGISTERED = "registered";

    private static final Pattern SECRET_NAME =
            Pattern.compile("SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|TOKEN|APIKEY|(^|_)KEYS?(_|$)|KEY$");
    private static final Pattern HEADERS_NAME = Pattern.compile("_HEADERS$");
    private static final Set<String> SWITCHES = Set.of("true", "false", "enabled", "disabled");
    private static final int MIN_LENGTH = 6;
    private static final int MIN_DIGITS = 10;
    private static final int MAX_PIECE = 1 << 11; // well within what is not kept of a text next to a cut

    private final boolean enabled;
    private final Mac mac;

    // The longest first: a secret that is part of another must not break it up.
    private volatile List<Secret> secrets = List.of();

    /** One that knows of no secrets yet. */
    public Redaction(boolean enabled) {
        this.enabled = enabled;
        this.mac = newMac();
    }

    /** Notes what is secret in the value of a variable, going by the variable's name. */
    public void registerVariable(String name, String value) {
        String upper = name.toUpperCase(Locale.ROOT);
        if (SECRET_NAME.matcher(upper).find()) {
            register(ENVIRONMENT, value);
        } else if (HEADERS_NAME.matcher(upper).find()) {
            for (String header : value.split(",", -1)) {
                registerHeader(header.substring(header.indexOf('=') + 1));
            }
        }
    }

    /** As it is written, as it is meant, and the credential behind a scheme such as {@code Bearer}. */
    private void registerHeader(String value) {
        register(ENVIRONMENT, value);
        String meant = decoded(value).strip();
        register(ENVIRONMENT, meant);
        register(ENVIRONMENT, meant.substring(meant.lastIndexOf(' ') + 1));
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return value; // a bare per cent sign: it is meant as it is written
        }
    }

    /** A value that is a secret from now on. Values too short to be told from ordinary text are passed over. */
    public synchronized void register(String kind, String value) {
        String secret = value.strip();
        if (secret.length() < MIN_LENGTH || SWITCHES.contains(secret.toLowerCase(Locale.ROOT)) || isNumber(secret)) {
            return;
        }
        if (secrets.stream().anyMatch(known -> known.value().equals(secret))) {
            return;
        }
        List<Secret> sorted = new ArrayList<>(secrets);
        String replacement = "[REDACTED:" + kind + ":" + hash(secret) + "]";
        sorted.add(new Secret(secret, replacement));
        pieces(secret).forEach(piece -> sorted.add(new Secret(piece, replacement)));
        sorted.sort(Comparator.comparingInt((Secret s) -> s.value().length()).reversed());
        secrets = List.copyOf(sorted);
    }

    /** A long secret may be in two where a long text is cut: each of its pieces is a secret then. */
    private static List<String> pieces(String secret) {
        int count = (secret.length() + MAX_PIECE - 1) / MAX_PIECE;
        return count == 1
                ? List.of()
                : IntStream.range(0, count)
                        .mapToObj(i -> secret.substring((int) ((long) secret.length() * i / count), (int)
                                ((long) secret.length() * (i + 1) / count)))
                        .toList();
    }

    /** The text without secrets, {@linkplain Content#wellFormed well-formed}. */
    public String text(String text) {
        return Content.wellFormed(enabled ? withoutSecrets(text) : text);
    }

    private String withoutSecrets(String text) {
        String result = text;
        for (Secret secret : secrets) {
            if (result.contains(secret.value())) {
                result = result.replace(secret.value(), secret.replacement());
            }
        }
        return result;
    }

    /** A name, a tag or the like without secrets, {@linkplain Content#limited limited}. */
    public String name(String text) {
        return Content.limited(text, this::text);
    }

    /** A {@linkplain Plain plain} copy without secrets. */
    public Map<String, Object> values(Map<String, ?> map) {
        return Plain.copy(map, this::name);
    }

    /** A copy without secrets of what a sink says of itself, in strings and numbers. */
    public Map<String, Object> facts(Map<String, Object> facts) {
        Map<String, Object> copy = new LinkedHashMap<>();
        facts.forEach(
                (name, value) -> copy.put(name(name), value instanceof Number ? value : name(String.valueOf(value))));
        return copy;
    }

    /** A {@linkplain Plain plain} copy without secrets of one value. */
    public @Nullable Object value(@Nullable Object value) {
        return Plain.value(value, this::name);
    }

    private static boolean isNumber(String text) {
        return text.length() < MIN_DIGITS && text.chars().allMatch(c -> Character.isDigit(c) || c == '.' || c == '-');
    }

    private String hash(String secret) {
        byte[] digest = mac.doFinal(secret.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest, 0, 4);
    }

    private static Mac newMac() {
        try {
            byte[] key = new byte[32];
            new SecureRandom().nextBytes(key);
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }

    private record Secret(String value, String replacement) {}
}
