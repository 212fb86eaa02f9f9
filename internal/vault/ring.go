package vault

import (
	"context"
	"errors"
	"fmt"

	"github.com/zalando/go-keyring"
)

// Ring is the operating system's keyring. The zero value uses it.
type Ring struct {
	Missing string // why there is none, when that is known; it is not touched then
}

// service is the name under which the keyring shows our secrets to its owner.
const service = "mcpctl"

// Check is an error when nothing can be kept in the keyring, with the way out.
func (r Ring) Check(ctx context.Context) error {
	_, err := r.get(ctx, "check")
	if err == nil || errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return fmt.Errorf("the keyring of this machine cannot be used: %w", err)
}

func (r Ring) get(ctx context.Context, key string) (string, error) {
	return r.within(ctx, func() (string, error) { return keyring.Get(service, key) })
}

func (r Ring) set(ctx context.Context, key, secret string) error {
	_, err := r.within(ctx, func() (string, error) { return "", keyring.Set(service, key, secret) })
	if errors.Is(err, keyring.ErrSetDataTooBig) {
		return errors.New("its tokens are larger than this keyring takes: log in with --store file")
	}
	return err
}

func (r Ring) remove(ctx context.Context, key string) error {
	_, err := r.within(ctx, func() (string, error) { return "", keyring.Delete(service, key) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// within ends the wait for the keyring with ctx: it may ask its owner to unlock it, and nobody may be there.
func (r Ring) within(ctx context.Context, use func() (string, error)) (string, error) {
	if r.Missing != "" {
		return "", errors.New(r.Missing)
	}
	type answer struct {
		secret string
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		secret, err := use()
		done <- answer{secret, err}
	}()
	select {
	case a := <-done:
		return a.secret, a.err
	case <-ctx.Done():
		return "", fmt.Errorf("waiting for the keyring: %w", context.Cause(ctx))
	}
}
