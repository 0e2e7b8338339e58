package dev.rlm.cli.fault;

import java.util.concurrent.CountDownLatch;

/** A provider that leaves a shutdown hook behind which never ends. */
public final class HangingHookProvider extends RefusingProvider {
    public HangingHookProvider() {
        Runtime.getRuntime().addShutdownHook(new Thread(HangingHookProvider::hang));
    }

    @Override
    public String name() {
        return "hooked";
    }

    static void hang() {
        for (CountDownLatch never = new CountDownLatch(1); ; ) {
            try {
                never.await();
            } catch (InterruptedException e) {
                // heeds nothing
            }
        }
    }
}
