package rpc

// SetModel is the arguments of set_model.
type SetModel struct{ Provider, ModelID string }

// DecodeSetModel reads a SetModel.
func DecodeSetModel(o Object) (m SetModel, err error) {
	if m.Provider, err = o.String("provider"); err != nil {
		return m, err
	}
	m.ModelID, err = o.String("modelId")
	return m, err
}
